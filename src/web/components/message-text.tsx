import { Button, Group } from '@mantine/core';

/** The text of a message, with a button that reverts what it reports. */
export function MessageText({ text, undo }: { text: string; undo: (() => void) | undefined }) {
  if (undo === undefined) return text;
  return (
    <Group component="span" gap="sm" justify="space-between" wrap="nowrap">
      <span>{text}</span>
      <Button variant="default" size="compact-sm" flex="none" onClick={undo}>
        Undo
      </Button>
    </Group>
  );
}
