from tests.services.fleets import for_module, small_fleet

fleet = for_module(small_fleet)
