# `psutil`: what the machine does.
from streamlit._parts import asked as _asked

virtual_memory = cpu_percent = cpu_count = swap_memory = disk_usage = net_io_counters = process_iter = pid_exists = pids = Process = _asked
boot_time = cpu_times = cpu_freq = sensors_temperatures = disk_partitions = disk_io_counters = getloadavg = users = wait_procs = _asked


class NoSuchProcess(Exception):
    pass


class AccessDenied(Exception):
    pass
