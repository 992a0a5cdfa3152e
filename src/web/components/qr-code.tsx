import { useMemo } from 'react';
import { encode } from 'uqr';

/** Width of the quiet zone around the code, in modules (ISO/IEC 18004). */
const border = 4;

/** A text as a QR code. Always dark on white in both color schemes, because some readers support nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { data } = encode(text, { ecc: 'M', border });
    const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: data.length, path: squares.join('') };
  }, [text]);
  return (
    <svg
      width={192}
      height={192}
      style={{ flex: 'none' }}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
