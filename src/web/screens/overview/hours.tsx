import { Anchor, Box, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { MoneyReply } from '#contract/money.ts';
import type { Kind } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { countOf, formatClock, formatCount } from '../../data/format.ts';
import type { CSSProperties } from 'react';
import { Link } from 'react-router';
import { useTimeZone } from '../../data/use-time-zone.ts';
import styles from './hours.module.css';

const hourMs = 3_600_000;
const shownHours = 24;

const rows = [
  ['Invoices', ['invoice', 'difference']],
  ['Purchase Orders', ['purchase_order']],
  ['Expense Reports', ['expense_report']],
  ['Payments and voids', ['payment', 'void']],
] as const satisfies readonly (readonly [string, readonly Kind[]])[];

type Hour = MoneyReply['hours'][number];

const countIn = (hours: readonly Hour[], key: 'synced' | 'failed' | 'held'): number =>
  hours.reduce((count, hour) => count + hour[key], 0);

/** What automatic and manual live syncs did in each of the last 24 hours, by kind. Screen readers get the sums. */
export function Hours({ money }: { money: MoneyReply }) {
  const { accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const starts = Array.from({ length: shownHours }, (_, index) =>
    new Date(Date.parse(money.hours_from) + index * hourMs).toISOString(),
  );
  const since = money.hours_from.slice(0, 10);
  const [failed, held] = [countIn(money.hours, 'failed'), countIn(money.hours, 'held')];
  return (
    <Box fz="xs" lh="xs" px="md" pt={10} pb={12} className={styles.strip ?? ''}>
      <Group component="p" gap="4px 12px" mb={6} c="dimmed">
        <Box component="span" flex={1}>
          Last 24 hours
        </Box>
        <Anchor
          inherit
          component={Link}
          to={`/logs?mode=live&success=false&after=${since}`}
          {...(failed > 0 && { c: 'red' })}
        >
          {formatCount(failed)} failed
          {held > 0 && `, ${formatCount(held)} on hold`}
        </Anchor>
        <Link to={`/logs?mode=live&success=true&after=${since}`}>
          {formatCount(countIn(money.hours, 'synced'))} synced
        </Link>
      </Group>
      <Stack component="ul" gap={2} aria-label={`Documents sent to ${accounting.short_label} by hour`}>
        {rows.map(([name, kinds]) => {
          const own = money.hours.filter(({ type }) => kinds.some((kind) => kind === type));
          return (
            <Group component="li" key={name} gap={0} wrap="nowrap">
              <Text span inherit c="soft" w={124}>
                {name}
              </Text>
              <span className={styles.cells} aria-hidden="true">
                {starts.map((at) => {
                  const hour = own.filter((one) => one.at === at);
                  const [synced, bad] = [countIn(hour, 'synced'), countIn(hour, 'failed')];
                  return (
                    <span
                      key={at}
                      data-state={bad > 0 ? 'failed' : synced > 0 ? 'synced' : 'idle'}
                      style={{ '--failed': `${(100 * bad) / Math.max(1, bad + synced)}%` } as CSSProperties}
                      title={`${formatClock(at, timeZone)}: ${synced} synced, ${bad} failed, ${countIn(hour, 'held')} on hold`}
                    />
                  );
                })}
              </span>
              <VisuallyHidden>
                {countOf(countIn(own, 'synced'), 'document')} synced, {formatCount(countIn(own, 'failed'))} failed,{' '}
                {formatCount(countIn(own, 'held'))} on hold
              </VisuallyHidden>
            </Group>
          );
        })}
      </Stack>
    </Box>
  );
}
