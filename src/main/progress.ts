const width = 24;

/**
 * Shows the progress of long work in one line of a terminal; prints nothing elsewhere.
 *
 * @returns a function that takes the finished and the total number of steps.
 */
export function progressBar(label: string, terminal: NodeJS.WriteStream = process.stderr) {
  return (done: number, total: number): void => {
    if (!terminal.isTTY || total === 0) return;
    const filled = Math.round((Math.min(done, total) / total) * width);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
    terminal.write(`\r${label} ${bar} ${done}/${total}${done >= total ? '\n' : ''}`);
  };
}
