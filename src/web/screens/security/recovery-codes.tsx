import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useSession } from '../../lib/current-session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { FreshCodes } from './fresh-codes.ts';
import styles from './security.module.css';

/** Shows fresh recovery codes, this one time: to copy, to keep as a file, or to write down. */
export function RecoveryCodes({ fresh, onDone }: { fresh: FreshCodes; onDone: () => void }) {
  const { codes, areReplacing } = fresh;
  const username = useSession()?.claims.username ?? '';
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => top.current?.focus(), []);
  const text = `Tallybridge recovery codes of ${username}\nEach works once, in place of the code of the app.\n\n${codes.join('\n')}\n`;
  return (
    <div className={styles.stack} ref={top} tabIndex={-1}>
      <Notice tone="ok" role="status">
        {areReplacing ? 'The earlier codes do not work any more.' : 'Two-step login is on.'} Keep these recovery codes
        now: they are not shown again.
      </Notice>
      <p className={styles.words}>
        Each works once in place of the app, when the phone is lost. Keep them where you find them without it, and
        nobody else does.
      </p>
      <ul className={styles.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles.actions}>
        <Button onClick={onDone}>I have kept them</Button>
        <Button variant="default" onClick={() => download(text)}>
          Download
        </Button>
        <CopyButton text={codes.join('\n')} label="Copy the recovery codes" />
      </div>
    </div>
  );
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'tallybridge-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(address);
}
