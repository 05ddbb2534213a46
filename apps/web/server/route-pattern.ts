import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findApiPath } from './api-path.ts';

interface Page {
  /** As its folder is called: `/cases/[id]`. */
  page: string;
  regex: string;
}

/**
 * Tells which route an address leads to: a page by the folder it lies in, a call by its path in the API's description, a file of a
 * page by where those lie. What people look at is in no pattern.
 * @param folder of the application, built.
 * @param files paths that are given out as they are.
 * @returns undefined for what leads nowhere.
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
