import { Text } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'react-router';
import type { CloseReply } from '#contract/closes.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatAmount, formatMoney, formatMonth } from '../../data/format.ts';
import { Panel } from '../../components/page.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import styles from './month-end.module.css';
import { DocumentName, labelOf } from './parts.tsx';

/** Lists unresolved differences carried over from earlier months; shows nothing if there are none. */
export function Carried({ close }: { close: CloseReply }) {
  const { psa } = useEnvironment();
  if (close.carried.length === 0) return null;
  return (
    <Panel title={`Carried from earlier months, ${close.carried.length}`} flush>
      <PlainTable heads={['Document', 'Cause', 'Amount', 'Carried from']}>
        <tbody>
          {close.carried.map((one) => (
            <tr key={`${one.month} ${one.key}`}>
              <td>
                <DocumentName {...one} />
              </td>
              <td>{labelOf(one.class, psa.label)}</td>
              <td>{Number(one.amount) === 0 ? '–' : formatMoney(one.amount, one.currency)}</td>
              <td>
                <Link to={`/month-end/${one.month}`}>{formatMonth(one.month)}</Link>
                {one.decision !== null && (
                  <Text component="small" c="dimmed" size="xs" ml="xs">
                    {`${one.decision.reason} (${one.decision.by})`}
                  </Text>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Panel>
  );
}

/** Section D: lists changes since sign-off. */
export function Changes({ close }: { close: CloseReply }) {
  const { psa } = useEnvironment();
  return (
    <Panel title={`D  Changes since sign-off${close.changes.length === 0 ? '' : `, ${close.changes.length}`}`} flush>
      {close.changes.length === 0 ? (
        <Text component="p" c="dimmed" size="sm" px="md" py={12}>
          {close.signatures.length < 2
            ? 'This month is not signed yet. Changes after sign-off will appear here.'
            : 'No changes since sign-off.'}
        </Text>
      ) : (
        <PlainTable
          numeric
          heads={['Document', `${psa.label}, before and now`, 'QuickBooks, before and now', 'Change']}
        >
          <tbody>
            {close.changes.map((change) => (
              <tr key={change.key}>
                <td>{change.label}</td>
                <td>{changeText(change.before?.psa, change.after?.psa)}</td>
                <td>{changeText(change.before?.accounting, change.after?.accounting)}</td>
                <td className={styles.details}>
                  {change.details.map((detail) => (
                    <Fragment key={detail}>
                      {detail.replaceAll('PSA', psa.label)}
                      <br />
                    </Fragment>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Panel>
  );
}

const changeText = (before: string | undefined, after: string | undefined): string => {
  const [was, is] = [before, after].map((amount) => (amount === undefined ? '–' : formatAmount(amount)));
  return was === is ? (is ?? '') : `${was} → ${is}`;
};
