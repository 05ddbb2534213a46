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
        <BubblesSkeleton />
      </div>
      <div className="composer" aria-hidden="true">
        <div className="composer-box h-[5.5rem]" />
      </div>
    </div>
  );
}

function BubblesSkeleton() {
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
