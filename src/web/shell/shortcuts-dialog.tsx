import { Fragment } from 'react';
import styles from './keyboard.module.css';
import { Modal } from '../components/modal.tsx';

const keys: readonly (readonly [readonly string[], string])[] = [
  [['Ctrl', 'K'], 'Go to any screen'],
  [['/'], 'Search the list'],
  [['↑', '↓'], 'Move between the rows of a table'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close a dialog or cancel'],
  [['?'], 'Show this list'],
];

/** The list of keyboard shortcuts. */
export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" size={400}>
      <dl className={styles.keys}>
        {keys.map(([pressed, what]) => (
          <Fragment key={what}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  );
}
