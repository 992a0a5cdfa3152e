import { listAttention } from '#contract/calls/attention.ts';
import { listJobs } from '#contract/calls/jobs.ts';
import { readMoney } from '#contract/calls/money.ts';
import { readSettings, readSettingsConfig } from '#contract/calls/settings.ts';
import { readSubscription } from '#contract/calls/subscription.ts';
import type { Session } from './session.ts';

/** A response is used only by the first screen. */
const maxAgeMs = 10_000;

/** What the first screen reads, by its path. */
const ofScreens = {
  '/my': [readMoney],
  '/settings': [readSettings, readSettingsConfig],
} as const;

/** Requests in progress, by address. */
const early = new Map<string, { readonly token: string; readonly at: number; readonly response: Promise<Response> }>();

/**
 * Makes the calls of the first screen while its code loads. {@link takeEarly} returns each response once.
 *
 * @param path of the screen
 */
export function callEarly({ token, claims }: Session, path: string): void {
  if (claims.client === null || claims.mustSetUp) return;
  const isAdministrator = claims.roles.includes('clientadmin');
  const [, own = []] = Object.entries(ofScreens).find(([screen]) => screen === (path === '/' ? '/my' : path)) ?? [];
  const routes = [readSubscription, listJobs, ...(isAdministrator ? [listAttention, ...own] : [])];
  for (const { path: address } of routes) {
    const response = fetch(address, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } });
    // The screen that takes it handles the failure.
    void response.catch(() => undefined);
    early.set(address, { token, at: Date.now(), response });
  }
}

/** Returns the response of an early call with this token, once; undefined without one. */
export function takeEarly(address: string, token: string | undefined): Promise<Response> | undefined {
  const found = early.get(address);
  early.delete(address);
  return found !== undefined && found.token === token && Date.now() - found.at < maxAgeMs ? found.response : undefined;
}
