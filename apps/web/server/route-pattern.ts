import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findApiPath } from './api-path.ts';

interface Page {
  /** The name of its folder, such as `/cases/[id]`. */
  page: string;
  regex: string;
}

/**
 * Returns a function that names the route of a URL for metrics and logs: the folder of a page, the path of a call in the API's
 * description, or the place of a file. Patterns contain no ids or search words (METRIC-3).
 * @param folder the folder of the built application.
 * @param files the paths of static files.
 * @returns a function that returns undefined for a URL without a route.
 */
export function createRoutePatterns(folder: string, files: ReadonlySet<string>): (url: string) => string | undefined {
  const manifest = JSON.parse(readFileSync(join(folder, '.next', 'routes-manifest.json'), 'utf8')) as {
    staticRoutes: Page[];
    dynamicRoutes: Page[];
  };
  const pages = [...manifest.staticRoutes, ...manifest.dynamicRoutes].map(({ page, regex }) => ({
    page,
    regex: new RegExp(regex),
  }));
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    if (path.startsWith('/_next/')) return '/_next/*';
    if (files.has(path)) return path;
    return findApiPath(path)?.pattern ?? pages.find(({ regex }) => regex.test(path))?.page;
  };
}
