export { ChainPage as default, chainMetadata as generateMetadata } from '../../../../messages/chain-page.tsx';
