import type { FaultRule, JournalEntry, SandboxDriver } from '../conformance/driver.ts';

/** A client of a sandbox's control API; `today` is the date of its sample data. */
export function sandboxDriver(
  url: string,
  today: string,
): SandboxDriver & { call(method: string, path: string, body?: unknown): Promise<unknown> } {
  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${url}/__sandbox${path}`, {
      method,
      ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  return {
    call,
    async reset() {
      await call('DELETE', '/behaviour');
      await call('PUT', '/limits', { enforce: true });
      await call('POST', '/reset', { today });
    },
    async fault(rule: FaultRule) {
      await call('POST', '/faults', rule);
    },
    async behave(switches) {
      await call('PUT', '/behaviour', switches);
    },
    async journal() {
      return ((await call('GET', '/journal?since=0')) as { entries: JournalEntry[] }).entries;
    },
    async forget() {
      await call('DELETE', '/journal');
    },
    async list(entity) {
      return ((await call('GET', `/entities/${entity}`)) as { items: Record<string, unknown>[] }).items;
    },
    async put(entity, id, change) {
      await call('PUT', `/entities/${entity}/${id}`, change);
    },
    async enforceLimits(enforced) {
      await call('PUT', '/limits', { enforce: enforced });
    },
    async advance(seconds) {
      await call('POST', '/clock', { advance_seconds: seconds });
    },
  };
}
