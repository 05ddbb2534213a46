'use client';

import { isShownPicture } from '@case-platform/words/files';
import { useEffect, useState } from 'react';

/** A thumbnail of a chosen picture; renders nothing for other files. */
export function FilePicture({ file }: { file: File }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!isShownPicture(file.type)) return;
    const objectUrl = URL.createObjectURL(file);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [file]);
  if (!isShownPicture(file.type)) return null;
  return (
    <span className="block size-10 flex-none overflow-hidden rounded-sm bg-base-300">
      {/* biome-ignore lint/performance/noImgElement: a picture of this device, which no server has. */}
      {url !== null && <img src={url} alt="" className="size-full object-cover" />}
    </span>
  );
}
