import { Button, Code, Group } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { DialogButtons } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { Notice } from '../../components/notice.tsx';

/** Shows the secret of an endpoint, once. */
export const Secret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <>
    <Notice tone="warning">Copy the secret now. It cannot be shown again.</Notice>
    <Group my="md" gap="sm" wrap="nowrap">
      <Code block flex={1} aria-label="Secret" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {secret}
      </Code>
      <CopyButton text={secret} label="Copy secret" />
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
    {secret !== null && <Secret secret={secret} onDone={onClose} />}
  </Modal>
);
