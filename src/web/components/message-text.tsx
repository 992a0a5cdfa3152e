import { Button, Group } from '@mantine/core';
import { useEffect } from 'react';

interface MessageTextProps {
  text: string;
  undo: (() => void) | undefined;
  /** Called when the message is on the screen, which takes a while on a busy machine. */
  onShown: () => void;
}

/** The text of a message, with a button that reverts what it reports. */
export function MessageText({ text, undo, onShown }: MessageTextProps) {
  useEffect(onShown, [onShown]);
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
