/**
 * Whether an address is that of Next.js' image conversion, which is off (next.config.mjs): every picture here is shown as it is. The
 * server answers 404 without rendering a page, however the path is spelled.
 */
export function isImagePath(url: string): boolean {
  const { pathname } = new URL(url.replace(/^[\\/]+/, '/'), 'http://localhost');
  return /^\/+_next\/+image/i.test(decoded(pathname).replaceAll('\\', '/'));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
