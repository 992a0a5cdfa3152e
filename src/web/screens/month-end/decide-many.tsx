import { Button, Group, Text, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import type { CloseReply } from '#contract/closes.ts';
import { smallDifferences } from '#core/reconciliation/small-differences.ts';
import { decimal, isDecimal, zero } from '#core/values/decimal.ts';
import { useEnvironment } from '../../data/environment.ts';
import { countOf, formatMoney } from '../../data/format.ts';
import type { Deciding } from './decision-dialog.tsx';
import { labelOf } from './parts.tsx';

type Exception = CloseReply['exceptions'][number];

interface ManyProps {
  /** Differences without a decision. */
  undecided: readonly Exception[];
  isReadOnly: boolean;
  onDecide: (deciding: Deciding) => void;
}

/** Offers one decision about all cents of one cause. */
export function SmallDifferences({ undecided, isReadOnly, onDecide }: ManyProps) {
  const { psa } = useEnvironment();
  const [limit, setLimit] = useState('0.05');
  const amounts = undecided.map((one) => ({ ...one, amount: decimal(one.amount) }));
  // Differences of more than 1.00 are never a matter of rounding.
  if (smallDifferences(amounts, decimal('1')).length === 0) return null;
  const isValid = isDecimal(limit) && Number(limit) <= 1;
  const groups = smallDifferences(amounts, isValid ? decimal(limit) : zero);
  return (
    <Group gap="sm" align="end" px="md" pt="sm">
      <TextInput
        label="Small differences up to"
        inputMode="decimal"
        w={170}
        value={limit}
        error={isValid ? null : 'Enter an amount up to 1.00.'}
        onChange={(event) => setLimit(event.currentTarget.value)}
      />
      {groups.map(({ class: of, currency, differences, least, most }) => {
        const size =
          least === most
            ? formatMoney(least, currency)
            : `${formatMoney(least, currency)} to ${formatMoney(most, currency)}`;
        return (
          <Button
            key={`${of} ${currency}`}
            variant="default"
            disabled={isReadOnly}
            onClick={() =>
              onDecide({
                decision: 'accept',
                reason: 'Rounding',
                exceptions: undecided.filter(({ key }) => differences.some((one) => one.key === key)),
              })
            }
          >
            {`Accept ${differences.length} of ${size} as rounding: ${labelOf(of, psa.label)}`}
          </Button>
        );
      })}
      {groups.length === 0 && <Text size="sm">No two differences of one cause are this small.</Text>}
    </Group>
  );
}

/** Offers one decision about the selected differences. */
export function SelectedDifferences({ undecided: selected, isReadOnly, onDecide }: ManyProps) {
  const hintId = useId();
  const common = {
    variant: 'default',
    disabled: selected.length === 0 || isReadOnly,
    ...(selected.length === 0 && { 'aria-describedby': hintId }),
  };
  return (
    <Group gap="sm">
      <Text id={hintId} fw={600} flex="1 1 240px" role="status">
        {selected.length === 0
          ? 'Select differences to accept or carry them with one reason.'
          : `${countOf(selected.length, 'difference')} selected`}
      </Text>
      <Button {...common} onClick={() => onDecide({ exceptions: selected, decision: 'accept' })}>
        Accept selected
      </Button>
      <Button {...common} onClick={() => onDecide({ exceptions: selected, decision: 'carry' })}>
        Carry selected
      </Button>
    </Group>
  );
}
