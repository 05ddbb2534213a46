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
