/** A page that takes longer to begin is not waited for. */
const WITHIN_MS = 5_000;

/**
 * Has a page rendered anew that nobody has asked for, unless the servers cannot be reached. The router loads the whole page
 * again when rendering it fails: an error page would take the place of what is being read, and of what is being written.
 * @param refresh asks the router.
 * @returns whether it was asked
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
