import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { useNavigate } from '../lib/router.tsx';
import type { Role } from '#core/roles.ts';
import { subscriptionQuery } from '../lib/queries.ts';
import { readinessOf } from '../lib/subscription.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { mayOpen, screens } from './screens.ts';
import styles from './keyboard.module.css';
import { shellWords } from './words.ts';

interface Goal {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
}

/** Opens a screen by a few letters of its name; a number searches the logs. */
export function Palette({ roles, isOpen, onClose }: { roles: readonly Role[]; isOpen: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      size={520}
      attributes={{ content: { 'aria-label': shellWords.goTo } }}
      styles={{ body: { padding: 0 } }}
    >
      <Finder roles={roles} onDone={onClose} />
    </Modal>
  );
}

function Finder({ roles, onDone }: { roles: readonly Role[]; onDone: () => void }) {
  const { connectionsOk } = readinessOf(useQuery(subscriptionQuery()).data);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const listId = useId();

  const places = screens
    .filter(
      (screen) =>
        screen.group !== null && mayOpen(screen, roles) && (screen.needsConnections !== true || connectionsOk),
    )
    .map(({ paths, label, icon }): Goal => ({ path: paths[0], label, icon }));
  const goals = goalsFor(text, places);
  const current = Math.min(chosen, goals.length - 1);

  const go = (goal: Goal | undefined) => {
    if (goal === undefined) return;
    onDone();
    void navigate(goal.path);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && goals.length > 0) {
      event.preventDefault();
      setChosen((current + step + goals.length) % goals.length);
    }
    if (event.key === 'Enter') go(goals[current]);
  };

  return (
    <div className={styles.finder}>
      <div className={styles.query}>
        <Icon name="search" />
        <input
          data-autofocus
          role="combobox"
          aria-label={shellWords.goTo}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={goals.length > 0 ? `${listId}-${current}` : undefined}
          placeholder={shellWords.goToAScreen}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <kbd>{shellWords.esc}</kbd>
      </div>
      <ul className={styles.goals} id={listId} role="listbox" aria-label={shellWords.places}>
        {goals.map((goal, index) => (
          // The keys are the field's: it keeps the focus and says which goal is meant.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={goal.path}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === current}
            onPointerMove={() => setChosen(index)}
            onClick={() => go(goal)}
          >
            <Icon name={goal.icon} />
            {goal.label}
          </li>
        ))}
        {goals.length === 0 && <li className={styles.none}>{shellWords.nothingIsCalledThat}</li>}
      </ul>
    </div>
  );
}

function goalsFor(text: string, places: readonly Goal[]): readonly Goal[] {
  const wanted = text.trim().toLowerCase();
  const named = places.filter(({ label }) => label.toLowerCase().includes(wanted));
  const canSearch = wanted !== '' && places.some(({ path }) => path === '/logs');
  return canSearch
    ? [
        ...named,
        {
          path: `/logs?q=${encodeURIComponent(text.trim())}`,
          label: shellWords.findInLogs(text.trim()),
          icon: 'logs',
        },
      ]
    : named;
}
