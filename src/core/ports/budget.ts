/**
 * The published limits of the services, shared by all workers. A permit says how long to wait before a call may leave.
 */
export interface Budget {
  /**
   * Takes one call from every named window at once, or none.
   *
   * @returns 0 when the call may leave now, otherwise the milliseconds to wait before asking again.
   */
  take(windows: readonly BudgetWindow[]): Promise<number>;
  /** Nothing leaves for this key before so many milliseconds have passed (an answer asked us to wait). */
  pause(key: string, milliseconds: number): Promise<void>;
}

export interface BudgetWindow {
  /** E.g. `qbo:minute:9341…`. */
  readonly key: string;
  readonly calls: number;
  readonly perSeconds: number;
}
