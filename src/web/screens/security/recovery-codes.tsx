import { useEffect, useRef } from 'react';
import { useSession } from '../../lib/current-session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { FreshCodes } from './fresh-codes.ts';
import styles from './security.module.css';
import { securityWords } from './words.ts';

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
        {areReplacing ? securityWords.theEarlierCodesDo : securityWords.twoStepLoginIs} {securityWords.keepCodes}
      </Notice>
      <p className={styles.words}>{securityWords.eachWorksOnceIn}</p>
      <ul className={styles.codes} aria-label={securityWords.recoveryCodes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles.actions}>
        <Button onClick={onDone}>{securityWords.iHaveKeptThem}</Button>
        <Button variant="default" onClick={() => download(text)}>
          {securityWords.download}
        </Button>
        <CopyButton text={codes.join('\n')} label={securityWords.copyTheRecoveryCodes} />
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
