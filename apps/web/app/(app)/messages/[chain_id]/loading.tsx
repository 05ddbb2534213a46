import { ThreadSkeleton } from '../../../../components/skeletons.tsx';

/** The real layout, before its words: header, bubbles, composer. */
export default function ChainLoading() {
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
