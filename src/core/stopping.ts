/**
 * Thrown when the process stops during a wait, before a call is sent, or during a read. A write that throws it was not
 * sent.
 */
export class ProcessStopping extends Error {
  constructor() {
    super('The process is stopping.');
    this.name = 'ProcessStopping';
  }
}
