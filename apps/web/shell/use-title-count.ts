import { useEffect } from 'react';

const COUNT = /^\(\d+\+?\) /;

/** Puts the count before the page's title, for tabs in the background, and restores it when the title changes. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    const mark = () => {
      const title = document.title.replace(COUNT, '');
      const withCount = count === 0 ? title : `(${count > 99 ? '99+' : count}) ${title}`;
      if (title !== '' && document.title !== withCount) document.title = withCount;
    };
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [count]);
}
