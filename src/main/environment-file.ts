/** Reads .env in the current folder, if it exists; variables that are already set take precedence. */
export function readEnvironmentFile(): void {
  try {
    process.loadEnvFile();
  } catch {
    // No .env file.
  }
}
