/** Reads a .env in the current folder when there is one; what is set already wins. */
export function readEnvironmentFile(): void {
  try {
    process.loadEnvFile();
  } catch {
    // none there
  }
}
