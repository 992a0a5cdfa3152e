import { Kbd } from '@mantine/core';
import { Fragment } from 'react';
import { Facts } from '../components/facts.tsx';
import { Modal } from '../components/modal.tsx';

const keys: readonly (readonly [readonly string[], string])[] = [
  [['Ctrl', 'K'], 'Run a command, or find anything'],
  [['/'], 'Search the list'],
  [['↑', '↓'], 'Move between rows, also in their details'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close a dialog or cancel'],
  [['?'], 'Show this list'],
];

/** The list of keyboard shortcuts. */
export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" size={400}>
      <Facts>
        {keys.map(([pressed, what]) => (
          <Fragment key={what}>
            <dt>
              {pressed.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </Facts>
    </Modal>
  );
}
