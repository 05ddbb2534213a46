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

/** What stands for a page while it is on its way; the first that fits. Messages have a frame of their own (inbox.tsx). */
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
 * Shows a page's skeleton while somebody goes there within the application. A page that is loaded whole stands outside of any
 * Suspense boundary (which each `loading.tsx` would be): React may render what is streamed behind one a second time in the
 * browser, and for a moment there are two living forms (react/react#37014).
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

/** Next.js scrolls up for the page itself, which comes later. */
function FromTop({ skeleton: Skeleton }: { skeleton: ComponentType }) {
  useLayoutEffect(() => {
    // It returns a promise in new browsers, which would be taken for a way to clean up.
    void scrollTo(0, 0);
  }, []);
  return <Skeleton />;
}
