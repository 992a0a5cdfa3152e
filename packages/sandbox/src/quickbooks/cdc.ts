import type { Company } from './company.ts';
import type { Doc } from './doc.ts';
import { findKind } from './entities.ts';
import { checkReadable } from './unreadable.ts';
import { fault } from './faults.ts';
import { renderRead } from './render.ts';
import type { Entry, Tombstone } from './table.ts';
import { pacificTime, parseInstant } from './times.ts';

const maxObjects = 1000;
const lookBackDays = 30;

/**
 * Change data capture (quickbooks reference 2.8): for each requested entity the changes since an instant, removed
 * records as stubs. At most 1000 objects in all, the earliest changes first, and only changes older than the delay of
 * the switch. With `changed_as_deleted`, a record that was only changed is a stub, too.
 *
 * @param entities comma-separated names
 * @param changedSince date-time text
 * @returns the CDCResponse member
 */
export function changesSince(company: Company, entities: string | null, changedSince: string | null): Doc[] {
  if (entities === null || entities.trim() === '') throw fault.missing('entities');
  if (changedSince === null) throw fault.missing('changedSince');
  const since = parseInstant(changedSince);
  if (since === undefined) throw fault.badDate(changedSince, 'changedSince');
  const oldest = company.clock.now() - lookBackDays * 86_400_000;
  if (since < oldest) throw fault.business(`changedSince can be at most ${lookBackDays} days ago.`, 'changedSince');
  const until = company.clock.now() - company.behaviour.get('cdc_delay_seconds') * 1000;
  const isCalledDeleted = ({ updatedAt, createdAt }: Entry) =>
    updatedAt > createdAt && company.behaviour.get('changed_as_deleted') !== 'nowhere';
  let room = maxObjects;
  const blocks = entities.split(',').map((name): Doc => {
    const kind = findKind(name.trim());
    if (kind === undefined || !kind.operations.has('cdc')) throw fault.unknownEntity(name.trim());
    const table = company.table(kind.name);
    const whole: Doc[] = [];
    const called: Tombstone[] = [];
    for (const entry of table.changed(Math.floor(since / 1000) * 1000, until)) {
      if (whole.length + called.length >= room) break;
      checkReadable(company, kind, entry);
      if (isCalledDeleted(entry)) called.push({ id: entry.id, deletedAt: entry.updatedAt });
      else whole.push(renderRead(company, kind, entry));
    }
    room -= whole.length + called.length;
    const removed = table.tombstones.filter(({ deletedAt }) => deletedAt >= since && deletedAt <= until).slice(0, room);
    room -= removed.length;
    const stubs = [...called, ...removed].map(({ id, deletedAt }): Doc => ({
      domain: 'QBO',
      status: 'Deleted',
      Id: id,
      MetaData: { LastUpdatedTime: pacificTime(deletedAt) },
    }));
    const found = [...whole, ...stubs];
    if (found.length === 0) return {};
    const block: Doc = { [kind.name]: found };
    if (whole.length > 0) block['startPosition'] = 1;
    block['maxResults'] = found.length;
    if (kind.hasTotalCount) block['totalCount'] = found.length;
    return block;
  });
  return [{ QueryResponse: blocks }];
}
