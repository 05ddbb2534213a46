'use client';

import { usePathname } from 'next/navigation';
import { type ComponentType, type ReactNode, Suspense, useLayoutEffect, useState } from 'react';
import { useHydrated } from '../look/use-hydrated.ts';
import {
  CaseSkeleton,
  CasesSkeleton,
  DisbursementSkeleton,
  DisbursementsSkeleton,
  FormSkeleton,
  HomeSkeleton,
  PanelsSkeleton,
} from './page-skeletons.tsx';

/** The skeleton of each page that is being loaded; the first match wins. Messages have their own (inbox.tsx). */
const SKELETONS: readonly [path: RegExp, skeleton: ComponentType][] = [
  [/^\/$/, HomeSkeleton],
  [/^\/cases$/, CasesSkeleton],
  [/^\/cases\/[^/]+$/, CaseSkeleton],
  [/^\/disbursements$/, DisbursementsSkeleton],
  [/^\/disbursements\/(new|[^/]+\/edit)$/, FormSkeleton],
  [/^\/disbursements\/[^/]+$/, DisbursementSkeleton],
  [/^\/(payments|cases\/[^/]+\/statement)$/, DisbursementsSkeleton],
  [/^\/(profile|settings)$/, PanelsSkeleton],
];

/**
 * Shows a page's skeleton during a navigation within the application (PAGE-5). A page that is loaded whole must not be inside a
 * Suspense boundary, which each `loading.tsx` would be: React may render content that is streamed behind one a second time in
 * the browser, and for a moment there are two active forms (react/react#37014).
 */
export function PageBoundary({ children }: { children: ReactNode }) {
  const path = usePathname();
  const Skeleton = SKELETONS.find(([fits]) => fits.test(path))?.[1];
  return (
    <Boundary key={Skeleton === undefined ? 'framed' : path} skeleton={Skeleton}>
      {children}
    </Boundary>
  );
}

function Boundary({ skeleton: Skeleton, children }: { skeleton: ComponentType | undefined; children: ReactNode }) {
  const hydrated = useHydrated();
  const [wasLoadedWhole] = useState(!hydrated);
  if (wasLoadedWhole || Skeleton === undefined) return children;
  return <Suspense fallback={<FromTop skeleton={Skeleton} />}>{children}</Suspense>;
}

/** Scrolls to the top for the skeleton, because Next.js scrolls only when the page itself comes. */
function FromTop({ skeleton: Skeleton }: { skeleton: ComponentType }) {
  useLayoutEffect(() => {
    // In new browsers scrollTo returns a promise, which React would take for a cleanup function.
    void scrollTo(0, 0);
  }, []);
  return <Skeleton />;
}
