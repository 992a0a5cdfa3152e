import { Button, Group } from '@mantine/core';
import type { MouseEvent } from 'react';
import type { EditedForm } from './use-edits.ts';

interface ConflictChoiceProps {
  /** Key of the field. */
  name: string;
  form: Pick<EditedForm, 'conflicts' | 'takeSaved' | 'keepOwn'>;
  /** The saved value and the user’s value, for people. */
  saved: string;
  own: string;
  /** Focuses the field after the choice. Undefined if the field is right before the buttons. */
  onChosen?: () => void;
}

/** Returns the error of a field that another user changed; the server’s error names the user. */
export const conflictText = (saved: string): string => `Another user changed this to “${saved}” after you opened it.`;

/** Buttons below a field that another user saved while it was edited here: use the saved value, or overwrite it. */
export function ConflictChoice({ name, form, saved, own, onChosen }: ConflictChoiceProps) {
  if (!form.conflicts.includes(name)) return null;
  const choose = (choice: (key: string) => void) => (event: MouseEvent<HTMLElement>) => {
    const field = event.currentTarget.parentElement?.previousElementSibling;
    choice(name);
    // The buttons disappear, so the focus returns to the field.
    if (onChosen === undefined) field?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    else onChosen();
  };
  return (
    <Group component="span" gap="sm">
      <Choice onClick={choose(form.takeSaved)}>{`Use “${saved}”`}</Choice>
      <Choice onClick={choose(form.keepOwn)}>{`Overwrite with “${own}”`}</Choice>
    </Group>
  );
}

/** A button whose long value wraps. */
const Choice = (props: { onClick: (event: MouseEvent<HTMLElement>) => void; children: string }) => (
  <Button
    variant="default"
    size="xs"
    h="auto"
    mih={30}
    py={4}
    styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
    {...props}
  />
);
