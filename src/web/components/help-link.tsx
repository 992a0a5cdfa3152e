import { ActionIcon, Anchor } from '@mantine/core';
import { messageHelp } from '../data/help.ts';
import { Icon } from './icons.tsx';

/**
 * A “?” that opens an article of the help in a new tab.
 *
 * @param titleId id of the title that it belongs to.
 */
export function HelpLink({ to, titleId }: { to: string; titleId: string }) {
  return (
    <ActionIcon
      component="a"
      href={to}
      target="_blank"
      size="sm"
      aria-label="Help"
      aria-describedby={titleId}
      title="Help"
    >
      <Icon name="help" size={16} />
    </ActionIcon>
  );
}

/** The code of a message, which opens its article in a new tab. */
export const MessageCode = ({ code }: { code: string }) => (
  <Anchor href={messageHelp(code)} target="_blank" size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
    {code}
  </Anchor>
);
