import { requireUnchanged } from '#core/changed-meanwhile.ts';
import type { Actor } from '#core/records/audit.ts';
import { Refusal } from '#core/refusal.ts';
import { reportingConflicts } from '../changed-meanwhile.ts';
import type { TenantContext } from '../context.ts';

/** Returns the IANA names of all time zones that can date documents. */
export const timeZones = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/**
 * Dates documents in another time zone from now on; posted documents keep their dates.
 *
 * @param was the time zone that the form read; see `requireUnchanged`.
 * @returns the present time zone.
 * @throws Refusal `settings_invalid` (422) for an unknown time zone; `changed_meanwhile` (409).
 */
export async function saveTimeZone(
  context: TenantContext,
  timeZone: string,
  actor: Actor,
  was?: string,
): Promise<string> {
  const { store, clock } = context;
  const before = (await store.readTenant()).timeZone;
  if (before === timeZone) return timeZone;
  const textOf = () => ({ label: 'Time zone', value: before });
  await reportingConflicts(context, { actor, actions: ['time_zone.saved'], textOf }, async () =>
    requireUnchanged({ time_zone: was }, { time_zone: before }),
  );
  if (!timeZones().includes(timeZone)) {
    const error = 'Choose a time zone from the list.';
    throw new Refusal('unprocessable', 'settings_invalid', error, [{ key: 'time_zone', error }]);
  }
  await store.setTimeZone(timeZone);
  await store.addAudit({
    at: clock.now(),
    actor,
    action: 'time_zone.saved',
    subject: null,
    before,
    after: timeZone,
  });
  return timeZone;
}
