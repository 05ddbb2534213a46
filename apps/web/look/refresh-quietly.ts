/** Servers that take longer to answer count as not ready. */
const WITHIN_MS = 5_000;

/**
 * Refreshes a page in the background, unless the servers cannot be reached: the router loads the whole page when rendering
 * fails, so an error page would replace what the person is reading or writing.
 * @param refresh makes the router refresh the page.
 * @returns true if `refresh` was called.
 */
export async function refreshQuietly(refresh: () => void): Promise<boolean> {
  const isReady = await areServersReady();
  if (isReady) refresh();
  return isReady;
}

async function areServersReady(): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    return (await fetch('/health/ready', { cache: 'no-store', signal: AbortSignal.timeout(WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}
