import type { ReactNode } from 'react';
import { RowsSkeleton } from '../look/rows-skeleton.tsx';

function PageSkeleton({ narrow = false, lead = false, children }: { narrow?: boolean; lead?: boolean; children: ReactNode }) {
  return (
    <main id="main" className="shell-main">
      <div className={`page ${narrow ? 'is-narrow' : ''}`} role="status" aria-label="Loading">
        <div className="page-header" aria-hidden="true">
          <span className="skeleton-line h-8 w-56" />
          {lead && <span className="skeleton-line page-lead h-4 max-w-64" />}
        </div>
        <div aria-hidden="true">{children}</div>
      </div>
    </main>
  );
}

function SectionSkeleton({ children }: { children: ReactNode }) {
  return (
    <>
      <div className="section-title h-6 items-center">
        <span className="skeleton-line w-40" />
      </div>
      {children}
    </>
  );
}

/** Rows without a picture at their start, as in lists of requests and cases. */
function PlainRows({ rows, lines = 3 }: { rows: number; lines?: number }) {
  return (
    <ul className="row-list panel">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity.
        <li key={index} className="list-row gap-y-2.5!">
          <span className={`skeleton-line h-4 ${index % 2 ? 'w-52' : 'w-40'}`} />
          <span className="skeleton-line w-16" />
          {lines > 1 && <span className="skeleton-line col-span-full w-32" />}
          {lines > 2 && <span className={`skeleton-line col-span-full ${index % 2 ? 'w-3/5' : 'w-4/5'}`} />}
        </li>
      ))}
    </ul>
  );
}

function FieldsSkeleton({ fields }: { fields: number }) {
  return (
    <div className="panel p-5">
      {Array.from({ length: fields }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity.
        <div key={index} className="mb-5">
          <span className="skeleton-line mb-2.5 w-28" />
          <span className="skeleton-box h-11 rounded-lg!" />
        </div>
      ))}
      <span className="skeleton-box h-11 w-36 rounded-lg!" />
    </div>
  );
}

export function HomeSkeleton() {
  return (
    <PageSkeleton lead>
      <SectionSkeleton>
        <div className="panel">
          <RowsSkeleton rows={2} />
        </div>
      </SectionSkeleton>
      <SectionSkeleton>
        <div className="panel">
          <RowsSkeleton rows={1} />
        </div>
      </SectionSkeleton>
      <SectionSkeleton>
        <div className="panel">
          <RowsSkeleton rows={3} />
        </div>
      </SectionSkeleton>
    </PageSkeleton>
  );
}

export function DisbursementsSkeleton() {
  return (
    <PageSkeleton lead>
      <span className="skeleton-box h-11 w-44 rounded-lg!" />
      <SectionSkeleton>
        <PlainRows rows={6} />
      </SectionSkeleton>
    </PageSkeleton>
  );
}

export function DisbursementSkeleton() {
  return (
    <PageSkeleton narrow lead>
      <div className="panel mb-6 p-5">
        <span className="skeleton-line mb-5 h-7 w-36" />
        <span className="skeleton-line h-1" />
        <span className="skeleton-line mt-5 w-3/4" />
      </div>
      <PlainRows rows={5} lines={1} />
    </PageSkeleton>
  );
}

export function CasesSkeleton() {
  return (
    <PageSkeleton lead>
      <PlainRows rows={3} lines={2} />
    </PageSkeleton>
  );
}

export function CaseSkeleton() {
  return (
    <PageSkeleton lead>
      <SectionSkeleton>
        <div className="grid gap-4 sm:grid-cols-2">
          {['a', 'b', 'c', 'd'].map((key) => (
            <div key={key} className="flex items-center gap-3">
              <span className="skeleton-circle" />
              <span className="skeleton-line w-36" />
            </div>
          ))}
        </div>
      </SectionSkeleton>
      <SectionSkeleton>
        <div className="panel p-4">
          <span className="skeleton-line mb-3 w-20" />
          <span className="skeleton-line h-6 w-40" />
        </div>
      </SectionSkeleton>
      <SectionSkeleton>
        <PlainRows rows={3} />
      </SectionSkeleton>
    </PageSkeleton>
  );
}

export function FormSkeleton() {
  return (
    <PageSkeleton narrow>
      <FieldsSkeleton fields={4} />
    </PageSkeleton>
  );
}

/** The skeleton of pages that consist of panels: profile and settings. */
export function PanelsSkeleton() {
  return (
    <PageSkeleton narrow>
      <div className="grid gap-4">
        {['h-40', 'h-36', 'h-64'].map((height) => (
          <div key={height} className={`panel p-5 ${height}`}>
            <span className="skeleton-line mb-4 h-4 w-32" />
            <span className="skeleton-line mb-2.5 w-4/5" />
            <span className="skeleton-line w-3/5" />
          </div>
        ))}
      </div>
    </PageSkeleton>
  );
}
