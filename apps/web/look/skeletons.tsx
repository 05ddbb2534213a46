/** Rows of a list that is on its way. */
export function RowsSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading">
      <ul className="row-list" aria-hidden="true">
        {Array.from({ length: rows }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity.
          <li key={index} className="list-row">
            <span className="row-lead">
              <span className="skeleton-circle" />
            </span>
            <span className={`skeleton-line ${index % 2 ? 'w-40' : 'w-52'}`} />
            <span className="skeleton-line w-12" />
            <span className={`skeleton-line col-start-2 mt-2 ${index % 3 ? 'w-full' : 'w-3/4'}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A chain that is on its way: bubbles left and right. */
function ThreadSkeleton() {
  const widths = ['w-72', 'w-56', 'w-80', 'w-48'];
  return (
    <div className="thread w-full" role="status" aria-label="Loading the conversation">
      {widths.map((width, index) => (
        <div key={width} className={`message ${index % 2 ? 'is-mine' : ''}`} aria-hidden="true">
          <span className="skeleton-line w-28" />
          <span className={`skeleton-box max-w-full ${width}`} />
        </div>
      ))}
    </div>
  );
}

/** A whole chain that is on its way: header, bubbles, composer. */
export function ChainSkeleton() {
  return (
    <div className="is-focus flex min-h-0 flex-1 flex-col">
      <div className="pane-header" aria-hidden="true">
        <div>
          <span className="skeleton-line w-48" />
          <span className="skeleton-line mt-2 w-32" />
        </div>
      </div>
      <div className="pane-scroll flex flex-col-reverse">
        <ThreadSkeleton />
      </div>
      <div className="composer" aria-hidden="true">
        <div className="composer-box h-[5.5rem]" />
      </div>
    </div>
  );
}
