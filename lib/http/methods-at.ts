interface Route {
  method: string;
  /** As routers write it: `/cases/:id`. */
  url: string;
}

/**
 * The methods that an address can be asked by, whoever asks; none where it leads nowhere. An address with a name of its own
 * (`/chains/unread`) is none of those that a pattern stands for (`/chains/:id`), whatever methods these know.
 */
export function methodsAt(routes: readonly Route[], url: string): string[] {
  const path = pathOf(url);
  const matching = routes.filter((route) => patternOf(route.url).test(path));
  const own = matching.filter((route) => !matching.some((other) => isNamedWithin(other.url, route.url)));
  return [...new Set(own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
}

/** Tells of a request's path whether its route has caught it only because the address of that name lacks the method. */
export function createCaughtPaths(routes: readonly Route[]): (routeUrl: string | undefined, url: string) => boolean {
  const named = new Map<string, RegExp[]>();
  return (routeUrl, url) => {
    if (routeUrl === undefined || !routeUrl.includes('/:')) return false;
    let patterns = named.get(routeUrl);
    if (patterns === undefined) {
      const urls = new Set(routes.map((route) => route.url));
      patterns = [...urls].filter((other) => isNamedWithin(other, routeUrl)).map(patternOf);
      named.set(routeUrl, patterns);
    }
    return patterns.some((pattern) => pattern.test(pathOf(url)));
  };
}

/** Whether the first is an address that the second stands for too, with fewer of its parts left open. */
function isNamedWithin(url: string, within: string): boolean {
  // `*` stands for whatever else there is, such as the keys of an object store.
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
