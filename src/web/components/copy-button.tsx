import { Button, CopyButton as Copy } from '@mantine/core';
import { Icon } from './icons.tsx';

const copiedMs = 2_000;

interface CopyButtonProps {
  text: string;
  label: string;
  buttonLabel?: string;
}

/** Copies a text to the clipboard and confirms it for a moment. @param buttonLabel the label of the button */
export function CopyButton({ text, label, buttonLabel = 'Copy' }: CopyButtonProps) {
  return (
    <Copy value={text} timeout={copiedMs}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="compact-xs"
          leftSection={copied ? <Icon name="check" size={14} /> : undefined}
          aria-label={copied ? 'Copied' : label}
          onClick={copy}
        >
          {copied ? 'Copied' : buttonLabel}
        </Button>
      )}
    </Copy>
  );
}
