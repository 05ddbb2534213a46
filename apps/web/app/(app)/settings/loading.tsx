import { PanelsSkeleton } from '../../../components/page-skeletons.tsx';

export default PanelsSkeleton;
