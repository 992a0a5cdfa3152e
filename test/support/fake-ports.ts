import { RateLimits, type RateWindow } from '#connectors/rate-limiter.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { addSeconds, instant, type Instant } from '#core/values/dates.ts';

export interface MovableClock extends Clock {
  advance(seconds: number): void;
}

/** A clock that only the test moves. */
export function clockAt(text: string): MovableClock {
  let at: Instant = instant(text);
  return {
    now: () => at,
    advance(seconds) {
      at = addSeconds(at, seconds);
    },
  };
}

/** A clock that starts at a time and then runs like the machine's clock. */
export function clockFrom(text: string): { now(): Instant } {
  const startedAt = performance.now();
  return { now: () => addSeconds(instant(text), (performance.now() - startedAt) / 1_000) };
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that stores every line. */
export function keepingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const bound = (own: object): Logger => {
    const at = (level: LogLine['level']) => (fields: object, message: string) => {
      lines.push({ level, message, fields: { ...own, ...fields } });
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => bound({ ...own, ...fields }),
    };
  };
  return { ...bound({}), lines };
}

/** Rate limits that allow every call and record the requests. */
export class UnlimitedRateLimits extends RateLimits {
  readonly acquired: RateWindow[] = [];
  readonly paused: string[] = [];

  override waitMs(): number {
    return 0;
  }

  override count(window: RateWindow, nowMs: number) {
    this.acquired.push(window);
    return super.count(window, nowMs);
  }

  override pause(key: string, untilMs: number): void {
    this.paused.push(`${key} until ${new Date(untilMs).toISOString()}`);
  }
}

/** Time that passes only while code sleeps. */
export function sleepingTime(): { now(): number; sleep(ms: number): Promise<void> } {
  let at = 0;
  return {
    now: () => at,
    async sleep(ms) {
      at += ms;
    },
  };
}
