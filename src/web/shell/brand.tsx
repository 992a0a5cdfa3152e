import { Badge, Group } from '@mantine/core';
import { Link } from 'react-router';
import { useEnvironment } from '../data/environment.ts';
import { Mark } from '../components/icons.tsx';
import styles from './shell.module.css';

/** Logo, name and the label of the deployment, if it has one. Links to the Overview. */
export function Brand() {
  const { environment_label: label } = useEnvironment();
  return (
    <Group gap={10} wrap="nowrap" flex="none">
      <Link to="/" className={styles.wordmark} aria-label="Tallybridge, to the Overview">
        <Mark />
        <span className={styles.name}>Tallybridge</span>
      </Link>
      {label !== '' && (
        <Badge component="span" variant="light" color="held" fw={600} fz={11} miw={0} className={styles.label ?? ''}>
          {label}
        </Badge>
      )}
    </Group>
  );
}
