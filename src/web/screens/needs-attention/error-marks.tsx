import { AttentionCard } from './attention-card.tsx';
import { Button } from '@mantine/core';
import { useEnvironment } from '../../data/environment.ts';
import { useReadOnly } from '../../data/use-read-only.ts';

/** Maximum number of ids listed in a text. */
const maxNamed = 10;

/** Documents with the ERROR mark, and the button that clears it. */
export function ErrorMarksCard({
  title,
  ids,
  isPending,
  onClear,
}: {
  title: string;
  ids: readonly number[];
  isPending: boolean;
  onClear: () => void;
}) {
  const { psa } = useEnvironment();
  const isReadOnly = useReadOnly();
  return (
    <AttentionCard
      state="needs_you"
      title={title}
      text={`An earlier sync left this mark in ${psa.label}. It blocks new syncs of ${ids.slice(0, maxNamed).join(', ')}${ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''}.`}
      buttons={
        <Button disabled={isReadOnly} loading={isPending} onClick={onClear}>
          Clear and try again
        </Button>
      }
    />
  );
}
