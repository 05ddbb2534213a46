/**
 * True for the path of Next.js' image conversion in any spelling. The conversion is off (EDGE-7, next.config.mjs), and the server
 * answers 404 without rendering a page.
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
