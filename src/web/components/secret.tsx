import { Button, Code, Group } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import { DialogButtons } from './dialog.tsx';
import { Modal } from './modal.tsx';
import { Notice } from './notice.tsx';

interface SecretProps {
  what: 'API key' | 'secret';
  secret: string;
  onDone: () => void;
}

/** Shows a new secret, once. @param what its name within a sentence */
export const Secret = ({ what, secret, onDone }: SecretProps) => (
  <>
    <Notice tone="warning">Copy the {what === 'API key' ? 'key' : what} now. It cannot be shown again.</Notice>
    <Group my="md" gap="sm" wrap="nowrap">
      <Code
        block
        flex={1}
        aria-label={what === 'API key' ? what : 'Secret'}
        style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
      >
        {secret}
      </Code>
      <CopyButton text={secret} label={`Copy ${what}`} />
    </Group>
    <DialogButtons>
      <Button data-autofocus onClick={onDone}>
        Done
      </Button>
    </DialogButtons>
  </>
);

/** Shows the new secret of an endpoint after a rotation. */
export const SecretDialog = ({ secret, onClose }: { secret: string | null; onClose: () => void }) => (
  <Modal opened={secret !== null} onClose={onClose} title="New secret" size={480}>
    {secret !== null && <Secret what="secret" secret={secret} onDone={onClose} />}
  </Modal>
);
