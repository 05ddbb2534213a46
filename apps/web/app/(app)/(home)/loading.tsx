import { HomeSkeleton } from '../../../components/page-skeletons.tsx';

export default HomeSkeleton;
