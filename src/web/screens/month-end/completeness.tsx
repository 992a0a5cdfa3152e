import type { CloseReply } from '#contract/closes.ts';
import { differenceClasses } from '#core/reconciliation/difference-classes.ts';
import { kindLabels } from '#core/reconciliation/close.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatAmount } from '../../data/format.ts';
import { Panel } from '../../components/page.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import styles from './month-end.module.css';
import { labelOf, Unexplained } from './parts.tsx';

/** Section A: explains the difference between the PSA's and the accounting system's totals, by kind and cause. */
export function Completeness({ close, currency }: { close: CloseReply; currency: string }) {
  const { psa } = useEnvironment();
  const bridges = close.bridges.filter((one) => one.currency === currency);
  return (
    <Panel title="A  Completeness" flush>
      <PlainTable
        numeric
        className={styles.bridge}
        heads={[`Documents in ${currency}`, 'Count', psa.label, 'QuickBooks', 'Difference']}
      >
        {bridges.map((bridge) => (
          <BridgeRows key={bridge.kind} bridge={bridge} psa={psa.label} />
        ))}
        {bridges.length === 0 && (
          <tbody>
            <tr>
              <td colSpan={5}>No documents are dated in this month.</td>
            </tr>
          </tbody>
        )}
      </PlainTable>
    </Panel>
  );
}

/** The documents of one kind, from the total in the PSA to that in QuickBooks. */
function BridgeRows({ bridge, psa }: { bridge: CloseReply['bridges'][number]; psa: string }) {
  return (
    <tbody>
      <tr className={styles.group}>
        <th scope="rowgroup" colSpan={5}>
          {kindLabels[bridge.kind]}
        </th>
      </tr>
      <tr>
        <td>{`Dated in the month in ${psa}`}</td>
        <td>{bridge.psa_count}</td>
        <td>{formatAmount(bridge.psa_total)}</td>
        <td />
        <td />
      </tr>
      {bridge.classes.map((one) => (
        <tr key={one.class} className={styles.detail}>
          <td>{labelOf(one.class, psa)}</td>
          <td>{one.count}</td>
          <td />
          <td />
          <td>{differenceClasses[one.class].moves ? formatAmount(one.amount) : '–'}</td>
        </tr>
      ))}
      <tr className={styles.sum}>
        <td>Dated in the month in QuickBooks</td>
        <td>{bridge.accounting_count}</td>
        <td>{formatAmount(bridge.psa_total)}</td>
        <td>{formatAmount(bridge.accounting_total)}</td>
        <td>{formatAmount(bridge.difference)}</td>
      </tr>
      <tr className={styles.sum}>
        <td>Unexplained</td>
        <td />
        <td />
        <td />
        <td>
          <Unexplained amount={bridge.unexplained}>{formatAmount(bridge.unexplained)}</Unexplained>
        </td>
      </tr>
    </tbody>
  );
}
