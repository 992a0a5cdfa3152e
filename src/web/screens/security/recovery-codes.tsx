import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useSession } from '../../data/current-session.ts';
import { saveFile } from '../../data/download.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Notice } from '../../components/notice.tsx';
import type { NewCodes } from './new-codes.ts';
import styles from './security.module.css';

const fileName = 'tallybridge-recovery-codes.txt';

/** Shows new recovery codes once, to copy or download. */
export function RecoveryCodes({ newCodes, onDone }: { newCodes: NewCodes; onDone: () => void }) {
  const { codes, areReplacing } = newCodes;
  const username = useSession()?.claims.username ?? '';
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => top.current?.focus(), []);
  const text = `Tallybridge recovery codes of ${username}\nEach code replaces the authenticator app once.\n\n${codes.join('\n')}\n`;
  return (
    <Stack gap="md" ref={top} tabIndex={-1} style={{ outline: 'none' }}>
      <Notice tone="ok" role="status">
        {areReplacing ? 'The earlier codes no longer work.' : 'Two-step login is on.'} Save these recovery codes now;
        they are not shown again.
      </Notice>
      <Text maw="68ch" c="soft">
        Each code replaces the app once, for example if you lose your phone. Store them in a safe place.
      </Text>
      <ul className={styles.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code} className={styles.code}>
            {code}
          </li>
        ))}
      </ul>
      <Group gap={12}>
        <Button onClick={onDone}>I saved the codes</Button>
        <Button variant="default" onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), fileName)}>
          Download
        </Button>
        <CopyButton text={codes.join('\n')} label="Copy the recovery codes" />
      </Group>
    </Stack>
  );
}
