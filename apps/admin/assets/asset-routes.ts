import { brand, ICON_PATHS } from '@case-platform/lib/brand';
import { NotFoundError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { assetUrl, findAsset, loadAssets } from './assets.ts';

const AssetAddress = Type.Object({ hash: Type.String({ maxLength: 32 }), name: Type.String({ maxLength: 64 }) });

/** Serves styles, scripts, and fonts. Their addresses change with their content, so browsers cache them forever. */
export function assetRoutes({ app }: AdminServer): void {
  loadAssets();
  app.get(
    '/public/:hash/:name',
    {
      config: { guard: publicRoute('styles, scripts and fonts'), isUncounted: true },
      schema: { params: AssetAddress },
    },
    async (request, reply) => {
      const { hash, name } = request.params;
      const asset = findAsset(`/public/${hash}/${name}`);
      if (asset === undefined) throw new NotFoundError();
      reply.type(asset.contentType).header('cache-control', 'public, max-age=31536000, immutable');
      if (asset.brotli === undefined) return reply.send(asset.body);
      reply.header('vary', 'accept-encoding');
      if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(asset.body);
      return reply.header('content-encoding', 'br').send(await asset.brotli());
    },
  );
  for (const path of ICON_PATHS) {
    app.get(path, { config: { guard: publicRoute('the icon of the application'), isUncounted: true } }, async (_, reply) => {
      const asset = findAsset(assetUrl(path === '/favicon.ico' ? 'favicon.ico' : 'apple-touch-icon.png'));
      const { type, bytes } = brand().logo ?? { type: asset?.contentType ?? '', bytes: asset?.body };
      return reply.type(type).header('cache-control', 'public, max-age=86400').send(bytes);
    });
  }
}
