import { exceptionsOf, type Proof } from './close.ts';
import { holds } from './tie-out.ts';

/** A point that a person confirms before signing, derived from the findings. */
export interface ChecklistPoint {
  readonly key: string;
  readonly label: string;
}

export function checklistOf(proof: Proof): readonly ChecklistPoint[] {
  const { bridges, tieOuts } = proof;
  const exceptions = exceptionsOf(proof).length;
  const failing = tieOuts.filter((tieOut) => !holds(tieOut)).length;
  const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
  const documents = bridges.reduce((total, bridge) => total + Math.max(bridge.psaCount, bridge.accountingCount), 0);
  return [
    { key: 'completeness', label: `Both sides were compared: ${counted(documents, 'document')}` },
    {
      key: 'exceptions',
      label:
        exceptions === 0
          ? 'No differences'
          : `${counted(exceptions, 'difference')} reviewed: settled, accepted or carried`,
    },
    {
      key: 'tie_outs',
      label:
        failing === 0
          ? 'Subledgers agree with the trial balance'
          : `${counted(failing, 'tie-out')} not at 0.00, and the reason is stated`,
    },
    { key: 'cut_off', label: 'Documents dated in another month were looked at' },
    { key: 'tax', label: 'Sales tax agrees with the liability account' },
  ];
}
