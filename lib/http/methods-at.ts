interface Route {
  method: string;
  /** With parameters, as routers write them: `/cases/:id`. */
  url: string;
}

/**
 * The methods of an address, for any caller; none if it does not exist. Literal segments win over parameters: `/chains/unread`
 * does not have the methods of `/chains/:id`.
 */
export function methodsAt(routes: readonly Route[], url: string): string[] {
  const path = pathOf(url);
  const matching = routes.filter((route) => patternOf(route.url).test(path));
  const own = matching.filter((route) => !matching.some((other) => isNamedWithin(other.url, route.url)));
  return [...new Set(own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
}

/** Finds requests that a route with parameters caught only because the literal address lacks their method. */
export function createCaughtPaths(routes: readonly Route[]): (routeUrl: string | undefined, url: string) => boolean {
  const patternsByRoute = new Map<string, RegExp[]>();
  return (routeUrl, url) => {
    if (routeUrl === undefined || !routeUrl.includes('/:')) return false;
    let patterns = patternsByRoute.get(routeUrl);
    if (patterns === undefined) {
      const urls = new Set(routes.map((route) => route.url));
      patterns = [...urls].filter((other) => isNamedWithin(other, routeUrl)).map(patternOf);
      patternsByRoute.set(routeUrl, patterns);
    }
    return patterns.some((pattern) => pattern.test(pathOf(url)));
  };
}

/** True if the second address also matches the first, which has fewer parameters. */
function isNamedWithin(url: string, within: string): boolean {
  // `*` matches everything else, such as the keys of an object store.
  return !within.includes('*') && patternOf(within).test(url) && !patternOf(url).test(within);
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replaceAll(/[^\w/-]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
