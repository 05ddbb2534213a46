import type { ReactNode } from 'react';

interface Props {
  title: string;
  lead?: ReactNode;
  action?: ReactNode;
  narrow?: boolean;
  children: ReactNode;
}

/** A page with its header. `lead` says what the page is about, and `action` is its one primary action. */
export function PageFrame({ title, lead, action, narrow = false, children }: Props) {
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      <div className={`page ${narrow ? 'is-narrow' : ''}`}>
        <header className="page-header">
          <h1 className="page-title">{title}</h1>
          {action !== undefined && <div className="page-action">{action}</div>}
          {lead !== undefined && <p className="page-lead">{lead}</p>}
        </header>
        {children}
      </div>
    </main>
  );
}
